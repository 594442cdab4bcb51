// Loaded before the launcher: what an old Node.js says of itself.
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.11.1" } });
