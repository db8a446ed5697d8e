import CairnModel

/// The name that a model gives the transformer of an attribute; case matters.
public struct ValueTransformerName: RawRepresentable, Sendable, Hashable,
    ExpressibleByStringLiteral, CustomStringConvertible
{
    /// The name itself, as it stands in the model.
    public let rawValue: String

    /// Takes any text: whether a transformer has the name shows when a value is read or set.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Takes any text: whether a transformer has the name shows when a value is read or set.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// `"ColorTransformer"` is the transformer of that name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The name itself.
    public var description: String { rawValue }

    /// Keyed archives of the closed list of ``CairnModel/ArchivableValue``. Built in.
    public static let secureUnarchiveFromDataTransformerName: ValueTransformerName =
        "NSSecureUnarchiveFromData"
    /// The transformer of attributes that name none. Core Data's makes objects of any class that an archive
    /// names; the one here is the same as ``secureUnarchiveFromDataTransformerName``. Built in.
    public static let keyedUnarchiveFromDataTransformerName: ValueTransformerName =
        "NSKeyedUnarchiveFromData"

    /// The name of an attribute's transformer: that of the model, or that of the default one.
    init(of attribute: Attribute) {
        self =
            attribute.description.valueTransformerName.map { ValueTransformerName($0) }
            ?? .keyedUnarchiveFromDataTransformerName
    }
}
