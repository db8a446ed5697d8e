import CairnModel

/// A structure whose properties are the elements of an attribute of type Composite.
///
/// ```swift
/// struct Address: CompositeAttribute {
///     var street = ""
///     var town: String?
///
///     static let elements: [CompositeElement<Address>] = [
///         CompositeElement("street", \.street), CompositeElement("town", \.town),
///     ]
/// }
///
/// final class Author: ManagedObject {
///     @Managed var address: Address?
/// }
/// ```
///
/// The macro `@Composite` writes ``elements``. Each of them is compared with the model when the class is, and the
/// structure must have all elements of the model's composite: setting the attribute replaces all of them. An
/// element may be a composite, too.
///
/// Some engines, SQLite among them, do not tell a value whose elements are all nil from nil.
public protocol CompositeAttribute: AttributeValue {
    /// The name that the composite gets in a model that is made of classes.
    static var compositeName: String { get }

    /// The elements of the composite.
    static var elements: [CompositeElement<Self>] { get }

    /// Creates a value whose elements are set afterwards.
    init()
}

extension CompositeAttribute {
    /// The name of the type.
    public static var compositeName: String { "\(Self.self)" }

    /// Attributes of type Composite.
    public static var attributeTypes: [AttributeType] { [.composite] }

    /// A value whose elements are nil, or what their types have for nil.
    public static var valueOfNil: Self { Self(attributeValue: .composite([:])) ?? Self() }

    /// Reads each element. `nil` if a type does not know the value of its element.
    public init?(attributeValue: Value) {
        guard case .composite(let values) = attributeValue else { return nil }
        self.init()
        for element in Self.elements {
            guard element.read(values[element.name] ?? .null, &self) else { return nil }
        }
    }

    /// The elements that are not nil.
    public var attributeValue: Value {
        let elements = Self.elements
        var values: [String: Value] = [:]
        values.reserveCapacity(elements.count)
        for element in elements {
            let value = element.value(self)
            if !value.isNull { values[element.name] = value }
        }
        return .composite(values)
    }
}

extension CompositeAttribute {
    /// The elements as a model describes them, and the Swift type of each.
    static var elementSettings: [CompositeElementSetting] { elements.map(\.setting) }

    /// Returns the name of the element that a key path leads to. `nil` if the path leads to no element.
    static func elementName(of path: AnyKeyPath) -> String? {
        elements.first { $0.path == path }?.name
    }
}
