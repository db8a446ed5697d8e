/// What reflection knows a ``Managed`` by.
protocol PropertyMark {
    static var property: any ManagedProperty.Type { get }
}

extension Managed: PropertyMark {
    static var property: any ManagedProperty.Type { Value.self }
}
