/// A named group of attributes that an attribute of type `.composite` holds together.
public struct CompositeDescription: Sendable, Hashable {
    /// What ``AttributeDescription/compositeName`` refers to; unique among the model's composites.
    public var name: String
    /// Elements in declared order; one may itself be a composite.
    public var elements: [AttributeDescription]

    /// Declares a composite. It must not contain itself, at any depth.
    public init(_ name: String, _ elements: [AttributeDescription]) {
        self.name = name
        self.elements = elements
    }
}
