from pentathlon.core import app_configs


class RatingsConfig(app_configs.FoldersConfig):
    name = "pentathlon.ratings"
