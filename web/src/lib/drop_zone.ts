// Files dropped anywhere on an element. The element says so while they hover over it, by `data-drop`.

export function dropZone(onFiles: (files: FileList) => void): (node: HTMLElement) => () => void {
  return (node) => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      // Without this the browser would leave the app and show the file.
      event.preventDefault();
      node.dataset['drop'] = '';
    };
    const left = (event: DragEvent) => {
      if (!(event.relatedTarget instanceof Node) || !node.contains(event.relatedTarget)) delete node.dataset['drop'];
    };
    const dropped = (event: DragEvent) => {
      delete node.dataset['drop'];
      if (!hasFiles(event) || event.dataTransfer === null) return;
      event.preventDefault();
      onFiles(event.dataTransfer.files);
    };
    node.addEventListener('dragover', over);
    node.addEventListener('dragleave', left);
    node.addEventListener('drop', dropped);
    return () => {
      node.removeEventListener('dragover', over);
      node.removeEventListener('dragleave', left);
      node.removeEventListener('drop', dropped);
    };
  };
}
