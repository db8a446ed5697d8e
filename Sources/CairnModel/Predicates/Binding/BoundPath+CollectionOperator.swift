extension BoundPath {
    /// How the objects that a to-many reaches become one value.
    public enum CollectionOperator: String, Sendable, Hashable, CaseIterable {
        /// How many of the values are not nil. Of no value: 0.
        case count
        /// Of no value: 0. Values that are nil do not count.
        case sum
        /// Of no value, or of nil only: nil.
        case min, max, average

        /// The operator's name in a key path, such as `@avg`.
        public var keyPathName: String { self == .average ? "@avg" : "@\(rawValue)" }

        /// The operator with a name in a key path. `nil` if there is no such operator.
        public init?(keyPathName name: String) {
            guard let found = Self.allCases.first(where: { $0.keyPathName == name }) else {
                return nil
            }
            self = found
        }
    }
}
