from pentathlon.core import app_configs


class TournamentsConfig(app_configs.FoldersConfig):
    name = "pentathlon.tournaments"
