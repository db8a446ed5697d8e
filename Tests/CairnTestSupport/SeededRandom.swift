import Foundation

/// A generator of random numbers that can be repeated with a seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator that starts the seed's sequence.
    public init(seed: UInt64) { state = seed }

    /// Returns a seed for this run of a test, and prints it first in case the test fails. The environment
    /// variable `CAIRN_SEED` repeats a run.
    public static func seed(of test: String) -> UInt64 {
        let seed: UInt64 = TestSetting.number("CAIRN_SEED") ?? .random(in: 0 ... .max)
        print("\(test): CAIRN_SEED=\(seed)")
        return seed
    }

    /// Returns the next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
