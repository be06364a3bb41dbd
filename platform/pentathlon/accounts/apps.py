from pentathlon.core import app_configs


class AccountsConfig(app_configs.FoldersConfig):
    name = "pentathlon.accounts"
