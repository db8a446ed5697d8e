import CairnModel

/// The row layouts of a model's entities.
public final class RowLayouts: Sendable {
    /// The model of the entities. Entity numbers of another model have no meaning here.
    public let model: ManagedObjectModel
    /// The layouts, indexed by entity number minus 1.
    @usableFromInline let layouts: [RowLayout]
    /// The parts of the layouts that checking a row needs.
    let checks: RowChecks

    /// Creates the layouts of all entities. The cost is proportional to the number of their
    /// properties, so create the layouts once for each model and pass them on.
    public init(_ model: ManagedObjectModel) {
        self.model = model
        layouts = model.entities.map(RowLayout.init)
        checks = RowChecks(layouts)
    }

    /// Returns the layout of the entity's rows, or `nil` if the model has no entity with that
    /// number.
    @inlinable public func layout(of entity: EntityNumber) -> RowLayout? {
        let index = Int(entity.rawValue) - 1
        return layouts.indices.contains(index) ? layouts[index] : nil
    }

    /// Returns the layout of the entity's rows.
    ///
    /// - Precondition: the entity belongs to this model.
    @inlinable public func layout(of entity: Entity) -> RowLayout {
        layouts[Int(entity.number.rawValue) - 1]
    }
}

extension RowLayouts {
    /// Checks that bytes from outside are a row of the model.
    ///
    /// If the check succeeds, no accessor of ``Row`` reads outside of the bytes, whatever they
    /// contain. The values themselves are not checked. The cost is a few loads for each variable
    /// and to-one slot.
    ///
    /// - Throws: every case of ``RowDamage``.
    package func check(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) {
        try checks.check(bytes)
    }
}

extension RowLayouts {
    /// A number that is equal for layouts that lay out every row in the same way. For different
    /// layouts it almost always differs.
    ///
    /// Files with packed rows record it. Rows are read without conversion only if it is equal.
    package var fingerprint: UInt64 { fingerprint(ofFirst: layouts.count) }

    /// Returns the fingerprint for a store that lists only the first `count` entities of the model.
    package func fingerprint(ofFirst count: Int) -> UInt64 {
        fingerprint(of: Array(layouts.prefix(count))) { $0.rawValue }
    }

    /// Returns the fingerprint for a store that numbers its entities differently, or `nil` if the
    /// store lists an entity that the model does not have.
    package func fingerprint(numberedBy numbering: StoreNumbering) -> UInt64? {
        var listed: [RowLayout] = []
        for index in 0..<numbering.listedCount {
            let number = numbering.modelNumbers[UInt16(truncatingIfNeeded: index + 1)]
            guard let layout = layout(of: EntityNumber(number)) else { return nil }
            listed.append(layout)
        }
        return fingerprint(of: listed) { numbering.storeNumber(of: $0).rawValue }
    }

    /// The fingerprint of each entity's rows. Entities are identified by name, so the numbers of a
    /// model have no influence.
    package var fingerprintsByName: [String: UInt64] {
        func name(_ number: EntityNumber) -> String { model.entity(numbered: number)?.name ?? "" }
        var fingerprints: [String: UInt64] = [:]
        for layout in layouts {
            var text = "\(name(layout.rootEntity))\u{0}"
            for (property, slot) in zip(layout.properties, layout.slots) {
                text += "\(property.name)\u{0}\(slot.kind.rawValue)\u{0}"
                text += "\(name(slot.destinationRoot))\u{0}"
            }
            fingerprints[layout.entity.name] = Array(text.utf8).withUnsafeBytes(Checksum.of)
        }
        return fingerprints
    }

    private func fingerprint(
        of layouts: [RowLayout], number: (EntityNumber) -> UInt16
    ) -> UInt64 {
        var text = ""
        for layout in layouts {
            text += "\(layout.entity.name)\u{0}\(number(layout.rootEntity))\u{0}"
            for (property, slot) in zip(layout.properties, layout.slots) {
                text += "\(property.name)\u{0}\(slot.kind.rawValue)\u{0}"
                text += "\(number(slot.destinationRoot))\u{0}"
            }
            text += "\u{0}"
        }
        return Array(text.utf8).withUnsafeBytes(Checksum.of)
    }
}
