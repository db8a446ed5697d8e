import CairnModel

/// The declaration of a composite's element in its structure.
struct CompositeElementSetting: Sendable {
    let name: String
    /// The type of the property. It is an optional type if the element may be `nil`.
    let type: any ManagedProperty.Type
    let options: [AttributeOption]
    let defaultValue: Value
    let originalName: String?
    let hashModifier: String?
}
