import CairnModel

/// A property of a structure that is an element of a composite attribute.
public struct CompositeElement<Composite>: Sendable {
    let setting: CompositeElementSetting
    let path: AnyKeyPath & Sendable
    /// Sets the element. Returns `false` if the value cannot be converted to the element's type.
    let read: @Sendable (Value, inout Composite) -> Bool
    /// Returns the value of the attribute.
    let value: @Sendable (Composite) -> Value

    var name: String { setting.name }

    /// Declares an element that is not optional. If it is `nil` in a store, it is read as
    /// ``AttributeValue/valueOfNil``.
    ///
    /// - Parameters:
    ///   - name: the name in the model.
    ///   - path: the property of the structure.
    ///   - options: the options that the Swift type does not determine.
    ///   - defaultValue: the default of the element in the model. Cairn does not use it.
    ///   - originalName: the name in the previous version of the model.
    ///   - hashModifier: a text that changes the version hash.
    public init<Content: AttributeValue>(
        _ name: String, _ path: WritableKeyPath<Composite, Content> & Sendable,
        _ options: AttributeOption..., default defaultValue: Content? = nil,
        originalName: String? = nil, hashModifier: String? = nil
    ) {
        setting = CompositeElementSetting(
            name: name, type: Content.self, options: options,
            defaultValue: defaultValue?.attributeValue ?? .null, originalName: originalName,
            hashModifier: hashModifier)
        self.path = path
        read = { value, composite in
            let content = value.isNull ? Content.valueOfNil : Content(attributeValue: value)
            guard let content else { return false }
            composite[keyPath: path] = content
            return true
        }
        value = { $0[keyPath: path].attributeValue }
    }

    /// Declares an optional element.
    ///
    /// - Parameters:
    ///   - name: the name in the model.
    ///   - path: the property of the structure.
    ///   - options: the options that the Swift type does not determine.
    ///   - defaultValue: the default of the element in the model. Cairn does not use it.
    ///   - originalName: the name in the previous version of the model.
    ///   - hashModifier: a text that changes the version hash.
    public init<Content: AttributeValue>(
        _ name: String, _ path: WritableKeyPath<Composite, Content?> & Sendable,
        _ options: AttributeOption..., default defaultValue: Content? = nil,
        originalName: String? = nil, hashModifier: String? = nil
    ) {
        setting = CompositeElementSetting(
            name: name, type: Content?.self, options: options,
            defaultValue: defaultValue?.attributeValue ?? .null, originalName: originalName,
            hashModifier: hashModifier)
        self.path = path
        read = { value, composite in
            let content = value.isNull ? nil : Content(attributeValue: value)
            guard value.isNull || content != nil else { return false }
            composite[keyPath: path] = content
            return true
        }
        value = { $0[keyPath: path]?.attributeValue ?? .null }
    }
}
