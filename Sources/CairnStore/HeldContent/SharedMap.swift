/// A dictionary in 256 parts. A copy shares every part that neither of the two changes, so that a save
/// costs a part, and not the whole, while a snapshot keeps the state before it.
struct SharedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var parts: [[Key: Value]] = Array(repeating: [:], count: 256)

    private func part(of key: Key) -> Int { key.hashValue & 255 }

    subscript(key: Key) -> Value? {
        get { parts[part(of: key)][key] }
        set { parts[part(of: key)][key] = newValue }
    }

    /// Changes a value in place.
    mutating func change(_ key: Key, default value: Value, _ body: (inout Value) -> Void) {
        body(&parts[part(of: key)][key, default: value])
    }

    /// All values, in no order.
    var values: [Value] { parts.flatMap(\.values) }
}
