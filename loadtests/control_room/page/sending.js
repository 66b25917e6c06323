// Sends an act. Each intention has one key, so that however often it is sent it is done once.

const TRIES = 3;
const LIMIT_MS = 15000;
const BETWEEN_MS = 700;

/** A random key. `randomUUID` needs https or localhost; this page may be on http://some-host. */
function newKey() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What came of it: `{kind, said}`, and if it was not done `{error, field}`. It never throws. */
export async function send(verb, body) {
  const asked = JSON.stringify({ key: newKey(), ...body });
  for (let tried = 1; ; tried += 1) {
    try {
      return await once(verb, asked);
    } catch (problem) {
      if (tried === TRIES) return failed(verb, `Locust cannot be reached (${problem.message}): nobody knows whether it was done`);
      await new Promise((done) => { setTimeout(done, BETWEEN_MS); });
    }
  }
}

async function once(verb, asked) {
  const response = await fetch(`act/${verb}`, {
    method: "POST", body: asked, signal: AbortSignal.timeout(LIMIT_MS), headers: { "Content-Type": "application/json" },
  });
  const answer = await response.json().catch(() => null);
  if (answer?.said) return answer;
  if (response.redirected) return failed(verb, "Locust asks for a login: load this page again");
  return failed(verb, `Locust answers ${response.status} ${response.statusText}`);
}

/** Worded as the server words it: it did not get as far as to say so itself. */
function failed(verb, error) {
  const name = verb.replaceAll("-", " ");
  return { kind: "failed", said: `${name[0].toUpperCase()}${name.slice(1)} failed: ${error}`, error, field: null };
}
