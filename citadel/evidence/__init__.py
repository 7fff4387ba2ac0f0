"""Is a finding true? Controls, base rates, and how sure both make us."""
