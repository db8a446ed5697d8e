/// A comparison of two numbers. It is a type so that the compiler specialises one test for each
/// combination of slot and comparison.
protocol ScalarComparison {
    /// The result if the value on the left is `nil`. The constant is never `nil`.
    static var ofNull: Bool { get }
    static func holds<Scalar: Comparable>(_ value: Scalar, _ constant: Scalar) -> Bool
}

extension ScalarComparison {
    static var ofNull: Bool { false }
}
