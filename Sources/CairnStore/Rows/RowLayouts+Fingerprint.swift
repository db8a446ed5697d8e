import CairnModel

extension RowLayouts {
    /// A number that layouts share which lay out every row alike, and hardly ever others.
    ///
    /// Files of packed rows keep it: rows are read as they are only where it is the same.
    package var fingerprint: UInt64 {
        var text = ""
        for layout in layouts {
            text += "\(layout.entity.name)\u{0}\(layout.rootEntity.rawValue)\u{0}"
            for (property, slot) in zip(layout.properties, layout.slots) {
                text += "\(property.name)\u{0}\(slot.kind.rawValue)\u{0}"
                text += "\(slot.destinationRoot.rawValue)\u{0}"
            }
            text += "\u{0}"
        }
        return Array(text.utf8).withUnsafeBytes(Checksum.of)
    }
}
