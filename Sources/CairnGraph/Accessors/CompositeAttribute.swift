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
/// The macro `@Composite` writes ``elements``. They are compared with the model together with the class. The
/// structure must have all elements of the model's composite, because setting the attribute replaces all of
/// them. An element may be a composite, too.
///
/// Some engines, including SQLite, do not distinguish a value whose elements are all `nil` from `nil`.
public protocol CompositeAttribute: AttributeValue {
    /// The name of the composite in a model that is created from classes.
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

    /// A value whose optional elements are `nil`, and whose other elements have the
    /// ``AttributeValue/valueOfNil`` of their types.
    public static var valueOfNil: Self { Self(attributeValue: .composite([:])) ?? Self() }

    /// Converts each element. Returns `nil` if the value of an element cannot be converted to the element's
    /// type.
    public init?(attributeValue: Value) {
        guard case .composite(let values) = attributeValue else { return nil }
        self.init()
        for element in Self.elements {
            guard element.read(values[element.name] ?? .null, &self) else { return nil }
        }
    }

    /// The elements that are not `nil`.
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
    /// The elements in the form of a model, with the Swift type of each.
    static var elementSettings: [CompositeElementSetting] { elements.map(\.setting) }

    /// Returns the name of the element to which a key path leads, or `nil` if it leads to no element.
    static func elementName(of path: AnyKeyPath) -> String? {
        elements.first { $0.path == path }?.name
    }
}
