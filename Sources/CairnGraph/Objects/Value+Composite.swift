import CairnModel

extension Value {
    /// Whether the attribute can hold the value's elements: each is one of its composite's, and of
    /// that element's type. True for a value that is no composite.
    func hasElements(of attribute: Attribute) -> Bool {
        hasElements(of: attribute.composite, in: attribute.entity.model)
    }

    private func hasElements(
        of composite: CompositeDescription?, in model: ManagedObjectModel
    ) -> Bool {
        guard case .composite(let elements) = self else { return true }
        return elements.allSatisfy { name, value in
            guard let element = composite?.elements.first(where: { $0.name == name }),
                value.fits(element.type)
            else { return false }
            let inner = element.compositeName.flatMap(model.composite(named:))
            return value.hasElements(of: inner, in: model)
        }
    }
}
