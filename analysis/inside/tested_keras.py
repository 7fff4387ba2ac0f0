"""One API of Keras under its sample calls; see `tested`."""

import keras
import live_keras
from exercises_keras import exercise
from recorder_keras import framework_frames
from tested import Tested, silence

MOST_SAMPLES = 4


def prepare():
    """Make this process one that profiles: one thread, silent, and blocked calls end it."""
    silence()
    live_keras.pin()
    keras.config.disable_traceback_filtering()


class KerasTested(Tested):
    """What its backend runs for a call; an idle call has twice the time, for other processes."""

    seconds_per_call = 8.0
    seconds_per_entry = 2.0
    exercise = staticmethod(exercise)
    framework_frames = staticmethod(framework_frames)

    def run_once(self, function, args, kwargs, made, noted):
        """Call it; its variables are made before, which nobody needs to know."""
        found = {}
        if getattr(function, "built", None) is False:
            function(*args, **kwargs)
        with noted:
            found["forward"], result = self.recorder.forward(lambda: function(*args, **kwargs))
        found["constructor"] = made - found["forward"]
        found["backward"] = self.recorder.backward(result)
        return found
