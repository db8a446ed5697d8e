import CairnModel

/// An archive or a property list holds a value of another type than the transformer's.
public struct UnexpectedValue: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the transformer's values.
    public let expected: String

    /// One sentence with the type. Never the value.
    public var description: String { "It holds no \(expected)." }
}

extension ArchiveConvertible {
    /// - Throws: `UnexpectedValue`.
    static func converted(_ value: ArchivableValue) throws(UnexpectedValue) -> Self {
        guard let converted = Self(archivable: value) else {
            throw UnexpectedValue(expected: "\(Self.self)")
        }
        return converted
    }
}
