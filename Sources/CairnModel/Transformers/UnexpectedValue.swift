/// An error for an archive or a property list whose value does not have the transformer's type.
package struct UnexpectedValue: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the transformer's values.
    package let expected: String

    /// A sentence that contains the type, never the value.
    package var description: String { "The data does not contain a value of type \(expected)." }
}

extension ArchiveConvertible {
    /// Converts an archived value to this type.
    ///
    /// - Throws: `UnexpectedValue` if the value does not fit this type.
    package static func converted(_ value: ArchivableValue) throws(UnexpectedValue) -> Self {
        guard let converted = Self(archivable: value) else {
            throw UnexpectedValue(expected: "\(Self.self)")
        }
        return converted
    }
}
