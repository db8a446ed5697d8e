import CairnModel

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
