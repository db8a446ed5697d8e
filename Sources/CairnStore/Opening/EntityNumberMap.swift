/// Entity numbers by other entity numbers, from 1. Every row asks it several times, so that counting
/// references to an array would cost more than the look-ups.
package struct EntityNumberMap: @unchecked Sendable {
    // Unchecked: the numbers are written by `init` only. The numbering that owns the map deallocates
    // them when nobody uses it any more.
    private let numbers: UnsafePointer<UInt16>
    let count: Int

    init(_ numbers: [UInt16]) {
        let copy = UnsafeMutablePointer<UInt16>.allocate(capacity: max(numbers.count, 1))
        copy.initialize(from: numbers, count: numbers.count)
        self.numbers = UnsafePointer(copy)
        count = numbers.count
    }

    /// The number for another number; 0 if there is none.
    @inline(__always) subscript(number: UInt16) -> UInt16 {
        let index = Int(number) - 1
        return index >= 0 && index < count ? numbers[index] : 0
    }

    func deallocate() { numbers.deallocate() }
}
