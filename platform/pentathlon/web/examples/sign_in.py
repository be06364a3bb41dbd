"""Signs somebody in with Pentathlon: python3 sign_in.py https://SITE CLIENT_ID"""

import base64
import hashlib
import json
import secrets
import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request, urlopen


class Callback(BaseHTTPRequestHandler):
    answer: dict[str, str] = {}

    def do_GET(self) -> None:
        Callback.answer = dict(parse_qsl(urlsplit(self.path).query))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"You may close this window.")


def ask(request: Request) -> dict[str, str]:
    with urlopen(request) as answer:
        found: dict[str, str] = json.load(answer)
    return found


site, client_id = sys.argv[1:]
meta = ask(Request(f"{site}/.well-known/oauth-authorization-server"))
server = HTTPServer(("127.0.0.1", 0), Callback)  # any free port
redirect = f"http://127.0.0.1:{server.server_port}/callback"
verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
digest = hashlib.sha256(verifier.encode()).digest()
wanted = {"response_type": "code", "client_id": client_id, "redirect_uri": redirect}
wanted |= {"scope": "identity:read", "state": state, "code_challenge_method": "S256"}
wanted["code_challenge"] = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
page = f"{meta['authorization_endpoint']}?{urlencode(wanted)}"
sys.stdout.write(f"Allow it here: {page}\n")
sys.stdout.flush()
webbrowser.open(page)
server.handle_request()  # until the browser comes back
if Callback.answer.get("state") != state or Callback.answer.get("iss") != meta["issuer"]:
    sys.exit("This answer belongs to another request.")
if "code" not in Callback.answer:
    sys.exit(f"Not allowed: {Callback.answer.get('error')}")
fields = {"grant_type": "authorization_code", "code": Callback.answer["code"]}
fields |= {"redirect_uri": redirect, "client_id": client_id, "code_verifier": verifier}
token = ask(Request(meta["token_endpoint"], urlencode(fields).encode()))["access_token"]
me = ask(Request(f"{site}/api/v1/me/", headers={"Authorization": f"Bearer {token}"}))
sys.stdout.write(f"Signed in as {me['username']}.\n")
