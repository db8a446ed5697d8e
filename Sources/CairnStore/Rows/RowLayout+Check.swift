import CairnModel

extension RowLayouts {
    /// Checks that bytes from outside are a row of the model.
    ///
    /// Afterwards no accessor of ``Row`` reads outside of the bytes, whatever they hold. Values are
    /// not judged. Costs a few loads per variable and to-one slot.
    ///
    /// - Throws: each case of ``RowDamage``.
    public func check(_ bytes: UnsafeRawBufferPointer) throws(RowDamage) {
        try checks.check(bytes)
    }
}
