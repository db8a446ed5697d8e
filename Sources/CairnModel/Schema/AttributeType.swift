/// What kind of value an attribute holds.
///
/// Raw values are Core Data's (`NSAttributeType`): they enter the version hash and compiled models.
public enum AttributeType: Int32, Sendable, Hashable, CaseIterable {
    /// No declared type; only transient attributes use it.
    case undefined = 0
    case integer16 = 100
    case integer32 = 200
    case integer64 = 300
    /// A `Decimal` of up to 38 significant digits.
    case decimal = 400
    case double = 500
    case float = 600
    case string = 700
    case boolean = 800
    /// A point in time, kept as seconds since 2001-01-01 00:00 UTC.
    case date = 900
    case binary = 1000
    case uuid = 1100
    case uri = 1200
    /// Bytes made by a registered value transformer.
    case transformable = 1800
    /// The identity of another object; only transient attributes use it.
    case objectID = 2000
    /// A named group of attributes (``CompositeDescription``).
    case composite = 2100

    /// Whether values are whole numbers kept in 64 bits or fewer.
    public var isInteger: Bool {
        self == .integer16 || self == .integer32 || self == .integer64
    }

    /// Whether values can be ordered and added.
    public var isNumeric: Bool {
        isInteger || self == .decimal || self == .double || self == .float
    }

    /// The name in source models, which Xcode's editor shows.
    package var sourceName: String {
        switch self {
        case .undefined: "Undefined"
        case .integer16: "Integer 16"
        case .integer32: "Integer 32"
        case .integer64: "Integer 64"
        case .decimal: "Decimal"
        case .double: "Double"
        case .float: "Float"
        case .string: "String"
        case .boolean: "Boolean"
        case .date: "Date"
        case .binary: "Binary"
        case .uuid: "UUID"
        case .uri: "URI"
        case .transformable: "Transformable"
        case .objectID: "ObjectID"
        case .composite: "Composite"
        }
    }
}
