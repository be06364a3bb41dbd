from pentathlon.core import app_configs


class MatchesConfig(app_configs.FoldersConfig):
    name = "pentathlon.matches"
