"""Carry a trigger over: which APIs go wrong when their own valid calls meet it?"""
