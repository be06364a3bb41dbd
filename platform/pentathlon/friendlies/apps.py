from django.apps import AppConfig


class FriendliesConfig(AppConfig):
    name = "pentathlon.friendlies"
    label = "friendlies"
