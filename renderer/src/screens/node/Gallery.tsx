import type { Example } from '../../../../server/contract/designs/uploads.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { hexAddress } from '../../format/words.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { amaranthMissing, chooseDesign } from '../../state/drafts/drafts.ts';
import { runExample } from '../../state/drafts/example-run.ts';
import { navigateLater } from '../../state/page/router.ts';
import { text } from '../../text/text.ts';
import './gallery.css';

const t = text.node.gallery;

/** The registers of an example, by address. */
function Registers({ map }: { map: Example['map'] }) {
  return (
    <details className="example-map">
      <summary>{t.registers(map.registers.length)}</summary>
      <table className="figures figures-dense">
        <thead>
          <tr>
            <th scope="col">{t.address}</th>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.access}</th>
            <th scope="col">{t.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {map.registers.map(({ name, address, access, description }) => (
            <tr key={address}>
              <td className="mono">{hexAddress(address)}</td>
              <th scope="row" className="mono">
                {name}
              </th>
              <td>{t.accesses[access]}</td>
              <td>{description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function ExampleCard({ example, node }: { example: Example; node: NodeView }) {
  const client = useBench();
  const id = node.fpga_id;
  const { file, title, description, dialect, language, shows, map } = example;
  const missing = language === 'amaranth' ? amaranthMissing(client) : undefined;
  const open = async () => {
    const go = navigateLater();
    try {
      const contents = await client.service.getExample({ file });
      chooseDesign(client, id, { name: file, contents }, undefined, go);
    } catch (reason) {
      showRefusal(client, reason);
    }
  };
  return (
    <li className="example">
      <h4>{title}</h4>
      <p className="example-file">
        <span className="mono">{file}</span> <span className="muted">{t.languages[language]}</span>
      </p>
      <p>{description}</p>
      <p className="muted">{shows}</p>
      <p className="muted example-bus">{dialect}</p>
      <Registers map={map} />
      {missing !== undefined && <p className="text-warn example-bus">{missing}</p>}
      <div className="row example-acts">
        <Button
          icon="play"
          aria-label={t.tryOf(title)}
          disabled={missing !== undefined || node.state !== 'idle' || !node.board.present}
          onClick={() => void runExample(client, id, example)}
        >
          {t.try}
        </Button>
        <Button
          kind="quiet"
          aria-label={t.openOf(file)}
          disabled={missing !== undefined}
          onClick={() => void open()}
        >
          {t.open}
        </Button>
      </div>
    </li>
  );
}

/** The examples: purpose, registers, and the script to try on this node. */
export function Gallery({ node }: { node: NodeView }) {
  const { data: examples, error } = useQuery(['examples'], (service, signal) =>
    service.listExamples({}, { signal }),
  );
  if (error !== undefined) return <InlineError error={error} />;
  if (!examples || examples.length === 0) return null;
  return (
    <section aria-label={text.node.examples}>
      <h3>{text.node.examples}</h3>
      <ul className="gallery">
        {examples.map((example) => (
          <ExampleCard key={example.file} example={example} node={node} />
        ))}
      </ul>
    </section>
  );
}
