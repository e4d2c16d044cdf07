/** How many people a study that was made asks. */
import { found } from '../../web/client/asking.js';
import { edit } from './form.js';
import { tell } from './shared.js';

await edit((fields) => {
  const keys = ['study.evaluators', 'comparison.votes', 'rating.ratings', 'ranking.rankings'];
  const number = fields.querySelector(keys.map((key) => `[data-key="${key}"]`).join());
  found('people').replaceChildren(number ?? '');
}).catch(tell);
