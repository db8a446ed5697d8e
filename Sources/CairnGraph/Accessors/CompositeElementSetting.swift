import CairnModel

/// What a structure says of an element of its composite.
struct CompositeElementSetting: Sendable {
    let name: String
    /// The type of the property, an optional one if the element may be nil.
    let type: any ManagedProperty.Type
    let options: [AttributeOption]
    let defaultValue: Value
    let originalName: String?
    let hashModifier: String?
}
