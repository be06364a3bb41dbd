from hypothesis import settings

# The same examples on every run, and no deadline: a busy machine is no reason to fail.
settings.register_profile("pentathlon", deadline=None, derandomize=True, database=None)
settings.load_profile("pentathlon")
