import { expect } from 'chai';
import { envOf, find, podOf, render, renderNotes } from './render.ts';

const TLS = {
  'dashboard.enabled': true,
  'api.tls.secretName': 'api-tls',
  'dashboard.tls.secretName': 'dashboard-tls',
};

describe('TLS to the pods', function () {
  this.timeout(30 * 60_000);

  for (const component of ['api', 'dashboard'])
    it(`mounts the Secret of ${component} as a folder, and probes and Service use HTTPS (X54)`, async () => {
      const objects = await render(TLS);
      const pod = podOf(find(objects, 'Deployment', `zipjobs-${component}`));
      const text = JSON.stringify(pod);
      expect(pod.volumes).to.deep.include({
        name: 'tls',
        secret: {
          secretName: `${component}-tls`,
          items: [
            { key: 'tls.crt', path: 'tls.crt' },
            { key: 'tls.key', path: 'tls.key' },
          ],
        },
      });
      expect(text).to.contain('"mountPath":"/etc/zipjobs/tls"').and.not.contain('subPath');
      expect(text.match(/"scheme":"HTTPS"/g)).to.have.length(3);
      expect(envOf(objects, component).get('TLS_DIR')).to.include({ value: '/etc/zipjobs/tls' });
      const service = JSON.stringify(find(objects, 'Service', `zipjobs-${component}`));
      expect(service).to.contain('"appProtocol":"https"');
    });

  it('is off by default, and never for the controller (X54)', async () => {
    const objects = await render({ 'dashboard.enabled': true });
    for (const component of ['api', 'dashboard']) {
      const text = JSON.stringify(find(objects, 'Deployment', `zipjobs-${component}`));
      expect(text).not.to.contain('HTTPS').and.not.contain('TLS_DIR');
      expect(JSON.stringify(find(objects, 'Service', `zipjobs-${component}`))).to.contain(
        '"appProtocol":"http"',
      );
    }
    const controller = JSON.stringify(find(await render(TLS), 'Deployment', 'zipjobs-controller'));
    expect(controller).not.to.contain('HTTPS').and.not.contain('TLS_DIR');
  });

  it('is used by helm test, the PodMonitor and the notes (X54)', async () => {
    const objects = await render({ ...TLS, 'monitoring.podMonitor.enabled': true });
    const test = JSON.stringify(find(objects, 'Pod', 'zipjobs-test'));
    expect(test)
      .to.contain('https://zipjobs-api.zipjobs-system.svc:80')
      .and.contain('https://zipjobs-dashboard.zipjobs-system.svc:80')
      .and.contain('http://zipjobs-controller.zipjobs-system.svc:9090');
    const monitor = JSON.stringify(find(objects, 'PodMonitor', 'zipjobs'));
    expect(monitor).to.contain('"regex":"api"').and.contain('"regex":"dashboard"');
    const notes = await renderNotes({ ...TLS, 'api.service.type': 'NodePort' });
    expect(notes).to.contain('https://localhost:8080/v1/zips').and.not.contain('No TLS for the API');
  });
});
