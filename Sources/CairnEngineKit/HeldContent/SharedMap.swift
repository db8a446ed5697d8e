/// A dictionary in 256 parts. Copies share all parts that neither of them changes. A save therefore
/// copies only the parts that it changes, while a snapshot keeps the previous state.
struct SharedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var parts: [[Key: Value]] = Array(repeating: [:], count: 256)

    private func part(of key: Key) -> Int { key.hashValue & 255 }

    subscript(key: Key) -> Value? {
        get { parts[part(of: key)][key] }
        set { parts[part(of: key)][key] = newValue }
    }

    /// Changes a value in place, or the default value if the key has no value.
    mutating func change(_ key: Key, default value: Value, _ body: (inout Value) -> Void) {
        body(&parts[part(of: key)][key, default: value])
    }

    /// All values, in no particular order.
    var values: [Value] { parts.flatMap(\.values) }
}
