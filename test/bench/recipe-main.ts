/** The usual recipe as a separate process; its only argument is a file that describes the job. */
import { readFile } from 'node:fs/promises';
import { type RecipeJob, zipByRecipe } from '#test/support/archives/recipe.ts';

await zipByRecipe(JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as RecipeJob);
