extension Value {
    /// Creates a value from a Swift value for an attribute. Returns `nil` if the value does not fit.
    package init?(any value: Any?, for attribute: Attribute) {
        let model = attribute.entity.model
        self.init(any: value, as: attribute.type, attribute.composite, in: model)
        guard hasElements(of: attribute) else { return nil }
    }

    /// Creates a value of a type from a Swift value. The Swift value of a composite is a dictionary,
    /// whose elements are converted in the same way. Returns `nil` if a value does not fit.
    package init?(
        any value: Any?, as type: AttributeType, _ composite: CompositeDescription?,
        in model: ManagedObjectModel
    ) {
        if let general = Value(any: value, as: type) {
            self = general
            return
        }
        guard type == .composite, let composite, let plain = value as? [String: Any] else {
            return nil
        }
        var elements: [String: Value] = [:]
        for (name, value) in plain {
            guard let element = composite.elements.first(where: { $0.name == name }),
                let converted = Value(
                    any: value, as: element.type,
                    element.compositeName.flatMap(model.composite(named:)), in: model)
            else { return nil }
            if !converted.isNull { elements[name] = converted }
        }
        self = .composite(elements)
    }

    /// Returns whether the attribute can hold the value's elements: each must belong to the attribute's
    /// composite and have that element's type. Returns `true` for a value that is not a composite.
    @usableFromInline package func hasElements(of attribute: Attribute) -> Bool {
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

    /// The value for a composite attribute, with the bytes of transformable elements marked as these.
    @usableFromInline package func withArchives(of attribute: Attribute) -> Value {
        withArchives(of: attribute.composite, in: attribute.entity.model)
    }

    private func withArchives(
        of composite: CompositeDescription?, in model: ManagedObjectModel
    ) -> Value {
        guard case .composite(var elements) = self, let composite else { return self }
        for element in composite.elements {
            switch (elements[element.name], element.type) {
            case (.binary(let bytes), .transformable):
                elements[element.name] = .transformable(bytes)
            case (let value?, .composite):
                let inner = element.compositeName.flatMap(model.composite(named:))
                elements[element.name] = value.withArchives(of: inner, in: model)
            default: break
            }
        }
        return .composite(elements)
    }
}

extension CompositeDescription {
    /// Whether an element, at any depth, is transformable.
    @usableFromInline package func hasTransformableElements(in model: ManagedObjectModel) -> Bool {
        elements.contains { element in
            element.type == .transformable
                || element.compositeName.flatMap(model.composite(named:))?
                    .hasTransformableElements(in: model) == true
        }
    }
}
