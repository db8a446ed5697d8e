/// The comparisons of numbers for which fast tests are compiled.
enum ScalarComparisons {
    enum Equal: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a == b }
    }

    enum NotEqual: ScalarComparison {
        static var ofNull: Bool { true }
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a != b }
    }

    enum LessThan: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a < b }
    }

    enum LessThanOrEqual: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a <= b }
    }

    enum GreaterThan: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a > b }
    }

    enum GreaterThanOrEqual: ScalarComparison {
        @inline(__always) static func holds<T: Comparable>(_ a: T, _ b: T) -> Bool { a >= b }
    }
}
