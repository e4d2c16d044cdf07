/** In a platform's frame: the task is handed in once the session in its own window is over. */

const LOOK_MS = 10_000;

const form = document.querySelector('form');
const link = document.querySelector('a');

async function look() {
  const reply = await fetch(`${link?.href}/over`).catch(() => null);
  if (reply?.ok && (await reply.json()).over) location.reload(); // now it has the form
}

if (form) form.submit();
else {
  setInterval(look, LOOK_MS);
  document.addEventListener('visibilitychange', look);
}
