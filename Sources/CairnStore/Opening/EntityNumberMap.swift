/// Entity numbers by other entity numbers, from 1. Every row asks it several times, so that counting
/// references to an array would cost more than the look-ups.
package struct EntityNumberMap: Sendable {
    /// The numbers of a table that the numbering owns.
    private let numbers: FrozenElements<UInt16>

    init(_ numbers: FrozenTable<UInt16>) { self.numbers = numbers.elements }

    var count: Int { numbers.count }

    /// The number for another number; 0 if there is none.
    @inline(__always) subscript(number: UInt16) -> UInt16 {
        let index = Int(number) - 1
        return index >= 0 && index < numbers.count ? numbers[index] : 0
    }
}
