/// The description of a composite: a named group of attributes that is the value of one attribute.
public struct CompositeDescription: Sendable, Hashable {
    /// The name, which is unique among the model's composites. ``AttributeDescription/compositeName`` refers
    /// to it.
    public var name: String
    /// The elements in declared order. An element may itself be a composite.
    public var elements: [AttributeDescription]

    /// Creates a composite. It must not contain itself, directly or through other composites.
    public init(_ name: String, _ elements: [AttributeDescription]) {
        self.name = name
        self.elements = elements
    }
}
