// Makes and shows passkeys (WebAuthn): asks the site for options and the browser for an answer, and
// sends that answer with the form.

const SAYS = {
  InvalidStateError: "This device already has a passkey for this account.",
  NotAllowedError: "Nothing was chosen, or it took too long. Try again.",
  SecurityError: "Browsers allow passkeys only on a site with a name and over https.",
};

for (const form of document.querySelectorAll("form[data-passkey]")) {
  const button = form.querySelector("[data-by-passkey]") ?? form.querySelector("button");
  const says = form.querySelector("[data-passkey-says]");
  if (!window.PublicKeyCredential) {
    says.textContent = "This browser, or this address without https, has no passkeys.";
    continue;
  }
  says.textContent = "";
  button.hidden = false;
  form.addEventListener("submit", async (event) => {
    // Another button sends the form as it is, with a code.
    if (event.submitter && event.submitter !== button) return;
    event.preventDefault();
    button.disabled = true;
    says.textContent = "Your browser is asking you now.";
    try {
      form.elements.answer.value = JSON.stringify(await ask(form));
      form.submit();
    } catch (error) {
      says.textContent = SAYS[error.name] ?? "That did not work. Load the page again.";
      button.disabled = false;
    }
  });
}

/** Return the answer of the browser as JSON. */
async function ask(form) {
  const token = form.elements.csrfmiddlewaretoken.value;
  const response = await fetch(form.dataset.options, {
    method: "POST",
    headers: { "X-CSRFToken": token },
  });
  if (!response.ok || response.redirected) throw new Error("refused");
  const { publicKey } = await response.json();
  publicKey.challenge = bytes(publicKey.challenge);
  for (const list of ["allowCredentials", "excludeCredentials"]) {
    for (const known of publicKey[list] ?? []) known.id = bytes(known.id);
  }
  if (form.dataset.passkey === "get") return toJson(await navigator.credentials.get({ publicKey }));
  publicKey.user.id = bytes(publicKey.user.id);
  return toJson(await navigator.credentials.create({ publicKey }));
}

/** Return a credential as JSON, as `toJSON` does in browsers that have it. */
function toJson(credential) {
  const response = {};
  const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  for (const name of parts) {
    if (credential.response[name]) response[name] = text(credential.response[name]);
  }
  return {
    id: credential.id,
    rawId: text(credential.rawId),
    type: credential.type,
    authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
    clientExtensionResults: credential.getClientExtensionResults(),
    response,
  };
}

function bytes(base64url) {
  const base64 = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const letters = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
