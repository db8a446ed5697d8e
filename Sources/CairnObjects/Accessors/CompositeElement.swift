import CairnModel

/// A property of a structure that is an element of a composite attribute.
public struct CompositeElement<Composite>: Sendable {
    let setting: CompositeElementSetting
    let path: AnyKeyPath & Sendable
    /// Sets the element to an attribute value. Returns `false` if the element's type does not have the value.
    let read: @Sendable (Value, inout Composite) -> Bool
    /// Returns the element as an attribute value.
    let value: @Sendable (Composite) -> Value

    var name: String { setting.name }

    /// Declares an element that is never `nil`. If the element is `nil` in a store, it is read as
    /// ``AttributeValue/valueOfNil``.
    ///
    /// - Parameters:
    ///   - name: The name in the model.
    ///   - path: The property of the structure.
    ///   - options: Settings that the type does not express.
    ///   - defaultValue: The element's default in the model. Cairn does not use it.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    public init<Content: AttributeValue>(
        _ name: String, _ path: WritableKeyPath<Composite, Content> & Sendable,
        _ options: AttributeOption..., default defaultValue: Content? = nil,
        originalName: String? = nil, hashModifier: String? = nil
    ) {
        setting = CompositeElementSetting(
            name: name, type: Content.self, options: options,
            defaultValue: defaultValue?._attributeValue ?? .null, originalName: originalName,
            hashModifier: hashModifier)
        self.path = path
        read = { value, composite in
            let content = value.isNull ? Content.valueOfNil : Content(_attributeValue: value)
            guard let content else { return false }
            composite[keyPath: path] = content
            return true
        }
        value = { $0[keyPath: path]._attributeValue }
    }

    /// Declares an element that may be `nil`.
    ///
    /// - Parameters:
    ///   - name: The name in the model.
    ///   - path: The property of the structure.
    ///   - options: Settings that the type does not express.
    ///   - defaultValue: The element's default in the model. Cairn does not use it.
    ///   - originalName: The name in the previous version of the model.
    ///   - hashModifier: A text that changes the version hash.
    public init<Content: AttributeValue>(
        _ name: String, _ path: WritableKeyPath<Composite, Content?> & Sendable,
        _ options: AttributeOption..., default defaultValue: Content? = nil,
        originalName: String? = nil, hashModifier: String? = nil
    ) {
        setting = CompositeElementSetting(
            name: name, type: Content?.self, options: options,
            defaultValue: defaultValue?._attributeValue ?? .null, originalName: originalName,
            hashModifier: hashModifier)
        self.path = path
        read = { value, composite in
            let content = value.isNull ? nil : Content(_attributeValue: value)
            guard value.isNull || content != nil else { return false }
            composite[keyPath: path] = content
            return true
        }
        value = { $0[keyPath: path]?._attributeValue ?? .null }
    }
}

/// The declaration of a composite's element in its structure.
@usableFromInline package struct CompositeElementSetting: Sendable {
    package let name: String
    /// The type of the property. It is an optional type if the element may be `nil`.
    @usableFromInline package let type: any ManagedProperty.Type
    package let options: [AttributeOption]
    @usableFromInline package let defaultValue: Value
    package let originalName: String?
    @usableFromInline package let hashModifier: String?
}
