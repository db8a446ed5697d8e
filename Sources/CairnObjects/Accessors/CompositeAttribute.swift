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
/// The macro `@Composite` writes ``elements``. When a class is compared with the model, the elements of its
/// composites are compared, too. The structure must have all elements of the model's composite, because
/// setting the attribute replaces all of them. An element may itself be a composite.
///
/// A `#Predicate` can follow a path into a composite: `$0.address?.town == "Rome"`.
///
/// Some engines, including SQLite, cannot distinguish a composite whose elements are all `nil` from `nil`.
public protocol CompositeAttribute: AttributeValue {
    /// The name of the composite in a model that is created from classes.
    static var compositeName: String { get }

    /// The elements of the composite.
    static var elements: [CompositeElement<Self>] { get }

    /// Creates a value. The framework then sets its elements.
    init()
}

extension CompositeAttribute {
    /// The name of the type, unless the type declares another.
    public static var compositeName: String { "\(Self.self)" }

    /// The attribute types that hold this type: Composite.
    public static var _attributeTypes: [AttributeType] { [.composite] }

    /// A value whose elements are all `nil`, or ``AttributeValue/valueOfNil`` if they are not optional.
    public static var valueOfNil: Self { Self(_attributeValue: .composite([:])) ?? Self() }

    /// Creates the value from its elements. Returns `nil` if an element's type does not have the stored
    /// value.
    public init?(_attributeValue attributeValue: Value) {
        guard case .composite(let values) = attributeValue else { return nil }
        self.init()
        for element in Self.elements {
            guard element.read(values[element.name] ?? .null, &self) else { return nil }
        }
    }

    /// A composite value that contains the elements that are not `nil`.
    public var _attributeValue: Value {
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
    /// The settings and the Swift type of each element.
    @usableFromInline package static var elementSettings: [CompositeElementSetting] {
        elements.map(\.setting)
    }

    /// Returns the name of the element at a key path, or `nil` if the path does not lead to an element.
    package static func elementName(of path: AnyKeyPath) -> String? {
        elements.first { $0.path == path }?.name
    }
}
