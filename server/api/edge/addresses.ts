/** A pattern for the paths of a route, such as `/fpga/:fpga_id/stream`; a parameter is one segment. */
export const addressPattern = (path: string): string =>
  path
    .split('/')
    .map((part) => part.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+'))
    .join('/');
