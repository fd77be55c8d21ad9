/* Search from a disk. Browsers start no worker for a page that was opened as a file, so the theme's search, which is
   written as one, runs in a hidden frame instead. Served pages keep their worker. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.answer = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      document.body.appendChild(frame);
      const inside = frame.contentWindow;
      this.ready = new Promise((resolve) => { frame.onready = () => resolve(inside); });
      inside.document.open();
      inside.document.write(
        "<script>postMessage = (data) => frameElement.answer(data);</scr" + "ipt>" +
        `<script src="${url}"></scr` + "ipt><script>frameElement.onready();</scr" + "ipt>"
      );
      inside.document.close();
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker;
}
