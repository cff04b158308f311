import { settings as table } from '../../config/settings.ts'
import type { Settings } from '../../config/settings.ts'
import { checkPortal } from '../../server/portal/options.ts'
import type { PortalOptions } from '../../server/portal/options.ts'
import { oneLine } from '../logs/events.ts'
import type { Log } from '../logs/log.ts'

const names = {
  name: table.portalName.env[0],
  color: table.portalColor.env[0],
  theme: table.portalTheme.env[0],
  frameAncestors: table.portalFrameAncestors.env[0],
}

/** The customers' portal as configured; invalid values are refused with the setting's name, unusable ones are logged. */
export function portalOptions(settings: Settings, log: Log): PortalOptions {
  return checkPortal(
    {
      name: settings.portalName,
      logo: settings.portalLogo,
      color: settings.portalColor,
      theme: settings.portalTheme,
      frameAncestors: settings.portalFrameAncestors,
      strings: settings.portalStrings,
      warn: (sentence) => log.write('warn', 'portal.setting', () => ({ msg: oneLine(sentence) })),
    },
    (option) => names[option] ?? option,
  )
}
