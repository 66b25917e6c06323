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

/** What came of it: `{said}` or `{error, field}`. It never throws. */
export async function send(verb, body) {
  const asked = JSON.stringify({ key: newKey(), ...body });
  for (let tried = 1; ; tried += 1) {
    try {
      return await once(verb, asked);
    } catch (problem) {
      if (tried === TRIES) return { error: `Locust cannot be reached (${problem.message}): nobody knows whether it was done`, field: null };
      await new Promise((done) => { setTimeout(done, BETWEEN_MS); });
    }
  }
}

async function once(verb, asked) {
  const response = await fetch(`act/${verb}`, {
    method: "POST", body: asked, signal: AbortSignal.timeout(LIMIT_MS), headers: { "Content-Type": "application/json" },
  });
  const answer = await response.json().catch(() => null);
  if (response.ok && answer?.said) return answer;
  if (response.redirected) return { error: "Locust asks for a login: load this page again", field: null };
  return { error: answer?.error ?? `Locust answers ${response.status} ${response.statusText}`, field: answer?.field ?? null };
}
