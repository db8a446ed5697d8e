/// A map from entity numbers to entity numbers, which start at 1.
///
/// The map is consulted several times for every row, so it does not retain an array: counting the
/// references would cost more than the look-ups.
package struct EntityNumberMap: Sendable {
    /// The numbers, in a table that the ``StoreNumbering`` owns.
    private let numbers: FrozenElements<UInt16>

    init(_ numbers: FrozenTable<UInt16>) { self.numbers = numbers.elements }

    var count: Int { numbers.count }

    /// Returns the number that `number` is mapped to, or 0 if there is no such number.
    @inline(__always) subscript(number: UInt16) -> UInt16 {
        let index = Int(number) - 1
        return index >= 0 && index < numbers.count ? numbers[index] : 0
    }
}
