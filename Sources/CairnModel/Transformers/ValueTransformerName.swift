/// The name of an attribute's transformer in a model. Names are case-sensitive.
public struct ValueTransformerName: RawRepresentable, Sendable, Hashable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// The name as it is written in the model.
    public let rawValue: String

    /// Creates a name from any string. Whether a transformer has the name is checked when a value is read
    /// or set.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from any string. Whether a transformer has the name is checked when a value is read
    /// or set.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates a name from a string literal, such as `"ColorTransformer"`.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name as it is written in the model.
    public var description: String { rawValue }

    /// The built-in transformer for keyed archives of the types in the closed list of
    /// ``CairnModel/ArchivableValue``.
    public static let secureUnarchiveFromDataTransformerName: ValueTransformerName =
        "NSSecureUnarchiveFromData"
    /// The built-in transformer of attributes without a transformer name in the model. In Core Data, it
    /// creates objects of any class that an archive names. In Cairn, it is the same transformer as
    /// ``secureUnarchiveFromDataTransformerName``.
    public static let keyedUnarchiveFromDataTransformerName: ValueTransformerName =
        "NSKeyedUnarchiveFromData"

    /// Creates the name of an attribute's transformer: the name in the model, or the default
    /// transformer's name.
    package init(of attribute: Attribute) {
        self =
            attribute.description.valueTransformerName.map { ValueTransformerName($0) }
            ?? .keyedUnarchiveFromDataTransformerName
    }
}
