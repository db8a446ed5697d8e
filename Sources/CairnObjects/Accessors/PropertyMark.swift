/// The protocol by which reflection recognizes a ``Managed`` property.
protocol PropertyMark {
    static var property: any ManagedProperty.Type { get }
}

extension Managed: PropertyMark {
    static var property: any ManagedProperty.Type { Value.self }
}
