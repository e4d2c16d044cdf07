/** How many people a study that was made asks. */
import { found } from '../../web/client/asking.js';
import { edit } from './form.js';
import { tell } from './shared.js';

await edit((fields) => {
  const number = fields.querySelector('[data-key="study.evaluators"]');
  found('people').replaceChildren(number ?? '');
}).catch(tell);
