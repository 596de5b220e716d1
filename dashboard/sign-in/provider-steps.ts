import { localPath } from '../http/local-path.ts';
import { givePending, takePending } from './pending-cookie.ts';
import { createSignInSteps, type SignInDeps, type Step, seeOther } from './sign-in-steps.ts';

const NOT_STARTED = 'This sign-in was not started in this browser or took too long. Start again.';
const NOT_TRUSTED =
  'The API server does not accept ID tokens of your identity provider. Contact your cluster administrator.';

/** The redirect to the identity provider, and its callback. */
export function createProviderSteps(deps: SignInDeps): {
  readonly toProvider: Step;
  readonly fromProvider: Step;
} {
  const { provider, cookies, frame, render } = deps;
  const steps = createSignInSteps(deps);
  return {
    toProvider: async (ctx) => {
      if (provider === undefined) return seeOther(ctx, '/sign-in');
      await steps.limit(ctx);
      const next = localPath(new URLSearchParams(ctx.search).get('next'));
      await steps.attempt(ctx, next, async () => {
        const { url, pending } = await provider.begin();
        givePending(ctx, cookies, { ...pending, next });
        seeOther(ctx, url);
      });
    },
    fromProvider: async (ctx) => {
      if (provider === undefined) return seeOther(ctx, '/sign-in');
      const away = takePending(ctx, cookies);
      if (away === undefined) return steps.show(ctx, { status: 400, next: '/', error: NOT_STARTED });
      const { next } = away;
      await steps.attempt(ctx, next, async () => {
        const isKnown = await steps.begin(ctx, await provider.finish(ctx.search, away));
        if (!isKnown) return steps.show(ctx, { status: 403, next, error: NOT_TRUSTED });
        // A redirect would still count as cross-site and carry no strict cookie, so a page of ours redirects instead.
        const made = await frame(ctx, { title: 'Signed in', refreshTo: next });
        ctx.body = render('/ui/going-on', { frame: made, view: { next } });
        ctx.type = 'html';
      });
    },
  };
}
