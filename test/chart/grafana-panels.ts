import { find, type KubeObject } from './render.ts';

interface Step {
  readonly value: number | null;
  readonly color: string;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly links?: readonly { readonly title: string; readonly url: string }[];
  readonly fieldConfig?: {
    readonly defaults: {
      readonly unit: string;
      readonly links?: readonly { readonly url: string }[];
      readonly thresholds: { readonly steps: readonly Step[] };
      readonly custom?: { readonly thresholdsStyle: { readonly mode: string } };
    };
  };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
}

export interface Row extends Panel {
  readonly collapsed: boolean;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  readonly schemaVersion: number;
  readonly links: readonly { readonly title: string; readonly url: string }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
  readonly panels: readonly (Panel | Row)[];
}

export function dashboardOf(objects: readonly KubeObject[]): Dashboard {
  const data = find(objects, 'ConfigMap', 'zipjobs-dashboard')['data'] as Readonly<Record<string, string>>;
  return JSON.parse(data['zipjobs.json'] ?? '') as Dashboard;
}

function isRow(panel: Panel | Row): panel is Row {
  return panel.type === 'row';
}

/** The rows with their panels, also those of rows that are not collapsed, which Grafana keeps beside the row. */
export function rowsOf({ panels }: Dashboard): readonly Row[] {
  return panels.filter(isRow).map((row) => {
    const next =
      panels.find((other) => isRow(other) && other.gridPos.y > row.gridPos.y)?.gridPos.y ?? Infinity;
    const beside = panels.filter(
      (panel) => !isRow(panel) && panel.gridPos.y > row.gridPos.y && panel.gridPos.y < next,
    );
    return { ...row, panels: [...row.panels, ...beside] };
  });
}

export function panelsOf(dashboard: Dashboard): readonly Panel[] {
  return rowsOf(dashboard).flatMap(({ panels }) => panels);
}

/** What a panel has of its own: the rest is equal in all panels of a type. */
function ownFields({ title, gridPos, fieldConfig, links = [], targets = [] }: Panel) {
  const { unit, thresholds } = fieldConfig?.defaults ?? {};
  return {
    title,
    place: Object.entries(gridPos).flat().join(' '),
    look: [unit, ...(thresholds?.steps ?? []).map(({ value, color }) => `${color} ${value}`)].join(', '),
    ...(links.length > 0 && { links: links.map(({ url }) => url).join(' ') }),
    queries: Object.fromEntries(targets.map(({ legendFormat, expr }) => [legendFormat, expr])),
  };
}

/** A dashboard in a tenth of its lines: the first panel of each type as it is, of the others their own fields. */
export function shortened(dashboard: Dashboard) {
  const types = new Set<string>();
  const rows = rowsOf(dashboard).map(({ title, collapsed, panels }) => ({
    title,
    collapsed,
    panels: panels.map((panel) => {
      if (types.has(panel.type)) return ownFields(panel);
      types.add(panel.type);
      return panel;
    }),
  }));
  return { ...dashboard, panels: rows };
}
